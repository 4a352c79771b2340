package io.tailrace.http;

import io.tailrace.wire.BlobBudget;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;

/** The route table: every address of the public server, the busiest first. */
final class Routes {
    private final List<Route> all;

    Routes(PublicServices services) {
        List<Route> routes = new ArrayList<>();
        routes.addAll(
                new SenderRoutes(services.outbox(), new NdjsonBatches(services.outbox()), services.lease()).routes());
        routes.addAll(
                new ActivityRoutes(services.log().activities(), services.log().conversations()).routes());
        routes.add(new Route(
                HttpMethod.GET,
                "/v1/conversations/{id}/stream",
                ActivityRoutes.ACTIVITIES,
                new ConversationStreams(
                        services.log().activities(), services.log().live(), services.authenticator())::handle));
        routes.addAll(new ReaderRoutes(services.outbox(), services.parts()).routes());
        routes.addAll(new OperatorRoutes(services.outbox().operator()).routes());
        routes.addAll(new BlobRoutes(services.blobs(), new BlobBudget(BlobBudget.DEFAULT_BYTES)).routes());
        routes.addAll(new DocumentRoutes().routes());
        this.all = List.copyOf(routes);
    }

    List<Route> all() {
        return all;
    }

    /** Those at one address, whatever their method. */
    List<Route> at(String path) {
        String[] segments = path.split("/", -1);
        return all.stream().filter(route -> matches(route, segments)).toList();
    }

    private static boolean matches(Route route, String[] segments) {
        String[] template = route.template().split("/", -1);
        if (template.length != segments.length) {
            return false;
        }
        for (int i = 0; i < template.length; i++) {
            if (!template[i].startsWith("{") && !template[i].equals(segments[i])) {
                return false;
            }
        }
        return true;
    }
}
