package io.tailrace.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Notes which promises the tests of this run kept: those whose display name, or that of their class, begins with a
 * promise's number. {@link PromiseReport} makes docs/promises.md of it.
 *
 * <p>Registered by META-INF/services; writes nothing unless the build names a file in {@code tailrace.promises.file}.
 */
public final class PromiseListener implements TestExecutionListener {
    private final List<Promises.Outcome> outcomes = new ArrayList<>();
    private @Nullable TestPlan plan;

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        // A container that fails (its @BeforeAll, say) takes its tests along without naming them.
        if (test.isTest() || !passed) {
            note(test, passed);
        }
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        note(test, false);
    }

    private void note(TestIdentifier test, boolean passed) {
        TestPlan running = plan;
        Optional<TestIdentifier> level = Optional.of(test);
        while (running != null && level.isPresent()) {
            String name = level.get().getDisplayName();
            for (String promise : Promises.named(name)) {
                outcomes.add(new Promises.Outcome(promise, passed, testClass(test), Promises.sentence(name)));
            }
            level = running.getParent(level.get());
        }
    }

    private static String testClass(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        String name = source instanceof MethodSource method
                ? method.getClassName()
                : source instanceof ClassSource type ? type.getClassName() : "";
        return name.substring(name.lastIndexOf('.') + 1);
    }

    @Override
    public synchronized void testPlanExecutionFinished(TestPlan testPlan) {
        String file = System.getProperty("tailrace.promises.file");
        if (file == null) {
            return;
        }
        try {
            Files.createDirectories(Path.of(file).toAbsolutePath().getParent());
            Files.write(
                    Path.of(file),
                    outcomes.stream()
                            .map(Promises.Outcome::line)
                            .distinct()
                            .sorted()
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
