package io.tailrace.http;

import io.tailrace.tenant.ApiKeys;
import io.tailrace.tenant.Tenants;
import io.vertx.ext.web.Router;

/** What the admin routes act on. */
public record Administration(Tenants tenants, ApiKeys keys) {
    void mount(Router router) {
        new AdminTenants(tenants, keys).mount(router);
    }
}
