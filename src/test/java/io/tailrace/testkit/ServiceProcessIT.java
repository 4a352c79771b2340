package io.tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ServiceProcessIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @RegisterExtension
    final ServiceProcesses services = new ServiceProcesses();

    @Test
    void endsInOrderOnSigtermAndAtOnceOnSigkill() {
        ServiceProcess service = services.launch(ServiceProcess.on(db.config()));
        service.awaitLog("ready");
        service.sigterm();
        assertThat(service.exitCode()).isIn(0, 143);
        assertThat(service.log()).contains("stopped");
        ServiceProcess other = services.launch(ServiceProcess.on(db.config()));
        other.awaitLog("ready");
        other.sigstop();
        other.sigcont();
        other.kill9();
        assertThat(other.exitCode()).isEqualTo(137);
        assertThat(other.log()).doesNotContain("stopped");
    }

    @Test
    void saysWhyItDidNotStart() {
        ServiceProcess service = services.launch(ServiceProcess.on(db.config()).set("outbox.lease", "90"));
        assertThat(service.exitCode()).isNotZero();
        assertThat(service.tail()).contains("outbox.lease");
    }
}
