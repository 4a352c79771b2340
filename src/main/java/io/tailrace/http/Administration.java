package io.tailrace.http;

import io.tailrace.partition.MaintenanceSchedule;
import io.tailrace.partition.PartitionListing;
import io.tailrace.partition.PartitionMaintenance;
import io.tailrace.partition.PartitionRemoval;
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
 * @param removal what it runs after that
 */
public record Administration(
        Tenants tenants,
        ApiKeys keys,
        PartitionListing partitions,
        Map<MaintenanceSchedule, PartitionMaintenance> maintenance,
        Map<MaintenanceSchedule, PartitionRemoval> removal) {
    public Administration {
        maintenance = inOrder(maintenance);
        removal = inOrder(removal);
    }

    private static <T> Map<MaintenanceSchedule, T> inOrder(Map<MaintenanceSchedule, T> bySchedule) {
        EnumMap<MaintenanceSchedule, T> ordered = new EnumMap<>(MaintenanceSchedule.class);
        ordered.putAll(bySchedule);
        return Collections.unmodifiableMap(ordered);
    }

    void mount(Router router) {
        new AdminTenants(tenants, keys).mount(router);
        new AdminPartitions(partitions, maintenance, removal).mount(router);
    }
}
