package io.tailrace.http;

import io.tailrace.partition.MaintenanceSchedule;
import io.tailrace.partition.PartitionListing;
import io.tailrace.partition.PartitionMaintenance;
import io.tailrace.tenant.ApiKeys;
import io.tailrace.tenant.Tenants;
import io.vertx.ext.web.Router;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * What the admin routes act on.
 *
 * @param partitions of every maintained table
 * @param maintenance what a run on request runs, one schedule after the other
 */
public record Administration(
        Tenants tenants,
        ApiKeys keys,
        PartitionListing partitions,
        Map<MaintenanceSchedule, PartitionMaintenance> maintenance) {
    public Administration {
        EnumMap<MaintenanceSchedule, PartitionMaintenance> inOrder = new EnumMap<>(MaintenanceSchedule.class);
        inOrder.putAll(maintenance);
        maintenance = Collections.unmodifiableMap(inOrder);
    }

    void mount(Router router) {
        new AdminTenants(tenants, keys).mount(router);
        new AdminPartitions(partitions, maintenance).mount(router);
    }
}
