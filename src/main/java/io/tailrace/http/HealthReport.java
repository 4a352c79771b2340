package io.tailrace.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.http.CheckResult.Status;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * All entries of a probe and what they come to together.
 *
 * @param everyOneMustBeOk as for liveness and startup; otherwise only an entry that says so makes it a 503
 */
record HealthReport(Map<String, CheckResult> checks, boolean everyOneMustBeOk) {
    HealthReport {
        checks = new LinkedHashMap<>(checks);
    }

    boolean ready() {
        return checks.values().stream()
                .allMatch(check -> everyOneMustBeOk ? check.status() == Status.OK : check.ready());
    }

    /** 200 or 503: what an orchestrator acts on. */
    int httpStatus() {
        return ready() ? 200 : 503;
    }

    /** {@code error} only with a 503; an instance that serves is at worst degraded or stale. */
    Status status() {
        if (!ready()) {
            return Status.ERROR;
        }
        Status worst = checks.values().stream()
                .map(CheckResult::status)
                .max(Status::compareTo)
                .orElse(Status.OK);
        return worst == Status.ERROR ? Status.DEGRADED : worst;
    }

    void write(JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeStringField("status", status().wire());
        out.writeObjectFieldStart("checks");
        for (Map.Entry<String, CheckResult> entry : checks.entrySet()) {
            out.writeFieldName(entry.getKey());
            CheckResult result = entry.getValue();
            out.writeRawValue(result.details()
                    .copy()
                    .put("status", result.status().wire())
                    .encode());
        }
        out.writeEndObject();
        out.writeEndObject();
    }
}
