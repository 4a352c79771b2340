package io.tailrace.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;

/** The floors of the house from the top down. A package may import those below its floor, not its neighbours. */
final class Layers {
    static final String BASE = "io.tailrace";

    /** The empty name is the base package, Main. One that does not exist yet has its place already. */
    static final List<List<String>> FROM_THE_TOP = List.of(
            List.of(""),
            List.of("cli"),
            List.of("app"),
            List.of("http", "kafka", "bus", "console"),
            List.of("wire"),
            List.of("retention", "conversion", "purge", "doctor"),
            List.of("activity", "outbox", "llm", "tenant"),
            List.of("archive"),
            List.of("partition"),
            List.of("worker"),
            List.of("db"),
            List.of("config"));

    private Layers() {}

    static ArchCondition<JavaClass> importDownwardsOnly() {
        return new ArchCondition<>("import only packages of lower floors") {
            @Override
            public void check(JavaClass origin, ConditionEvents events) {
                if (floor(origin) < 0) {
                    events.add(SimpleConditionEvent.violated(
                            origin, origin.getName() + " is in a package without a floor: give it one in Layers"));
                    return;
                }
                for (Dependency dependency : origin.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass();
                    boolean ours = target.getPackageName().equals(BASE)
                            || target.getPackageName().startsWith(BASE + ".");
                    if (ours && !room(target).equals(room(origin)) && floor(target) <= floor(origin)) {
                        events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
                    }
                }
            }
        };
    }

    /** The first package below the base: {@code archive} for {@code io.tailrace.archive.store}. */
    static String room(JavaClass javaClass) {
        String name = javaClass.getPackageName();
        if (name.equals(BASE)) {
            return "";
        }
        String below = name.substring(BASE.length() + 1);
        int dot = below.indexOf('.');
        return dot < 0 ? below : below.substring(0, dot);
    }

    private static int floor(JavaClass javaClass) {
        for (int floor = 0; floor < FROM_THE_TOP.size(); floor++) {
            if (FROM_THE_TOP.get(floor).contains(room(javaClass))) {
                return floor;
            }
        }
        return -1;
    }
}
