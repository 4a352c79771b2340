package io.tailrace.testkit;

import io.tailrace.config.DatabaseConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The instances of one test: ended after it, and what they printed last is shown when it failed.
 *
 * <pre>{@code
 * @RegisterExtension
 * final ServiceProcesses services = new ServiceProcesses();
 * }</pre>
 */
public final class ServiceProcesses implements AfterEachCallback {
    private final List<ServiceProcess> running = new ArrayList<>();

    /** One on the settings' database, ready. */
    public ServiceProcess start(DatabaseConfig database) {
        return start(ServiceProcess.on(database));
    }

    public ServiceProcess start(ServiceProcess.Settings settings) {
        ServiceProcess service = launch(settings);
        service.awaitReady();
        return service;
    }

    /** One that need not become ready. */
    public ServiceProcess launch(ServiceProcess.Settings settings) {
        ServiceProcess service = settings.launch();
        running.add(service);
        return service;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            running.forEach(service -> System.err.println(service.tail()));
        }
        running.forEach(ServiceProcess::close);
        running.clear();
    }
}
