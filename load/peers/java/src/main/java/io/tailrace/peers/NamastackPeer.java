package io.tailrace.peers;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.OutboxProcessingScheduler;
import io.namastack.outbox.handler.OutboxHandler;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * namastack-outbox: it has no bulk insert, so schedule() is called 500 times in a transaction, by four threads, each with keys of
 * its own. Drained with a poll every 10 ms, 1,000 keys a poll and 16 threads (of 4, 8 and 16 the best here). Without keys each
 * record has its own, as schedule() without a key does.
 */
@SpringBootApplication
public class NamastackPeer {
    /** Jobs of the round after the measured one, in which handlers take their time. */
    private static final int PROBE = 2_000;

    private static volatile Seen seen;

    private record Result(double enqueueSeconds, double drainSeconds, int left) {}

    @Bean
    OutboxHandler handler() {
        return new OutboxHandler() {
            @Override
            public void handle(Object payload, OutboxRecordMetadata metadata) {
                String[] words = ((String) payload).split(" ", 3);
                seen.handle(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
            }
        };
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = Seen.options(args);
        int threads = Seen.option(options, "threads", 16);
        Map<String, Object> settings = new HashMap<>();
        settings.put("spring.datasource.url", Seen.jdbcUrl());
        settings.put("spring.datasource.username", System.getenv("PGUSER"));
        settings.put("spring.datasource.hikari.maximum-pool-size", threads + 8);
        settings.put("spring.main.banner-mode", "off");
        settings.put("spring.main.web-application-type", "none");
        settings.put("logging.level.root", "WARN");
        settings.put("namastack.outbox.jdbc.schema-initialization.enabled", "true");
        settings.put("namastack.outbox.polling.batch-size", options.getOrDefault("batch", "1000"));
        settings.put("namastack.outbox.polling.fixed.interval", options.getOrDefault("poll", "10ms"));
        settings.put("namastack.outbox.processing.executor-core-pool-size", threads);
        settings.put("namastack.outbox.processing.executor-max-pool-size", threads);
        settings.put("namastack.outbox.processing.delete-completed-records", options.getOrDefault("delete", "false"));
        SpringApplication application = new SpringApplication(NamastackPeer.class);
        application.setDefaultProperties(settings);
        try (ConfigurableApplicationContext context = application.run()) {
            awaitPartitions(context.getBean(JdbcTemplate.class));
            int keys = Seen.option(options, "keys", 0);
            int warmup = Seen.option(options, "warmup", 5_000);
            if (warmup > 0) {
                round(context, warmup, options, new Seen(warmup, keys, false));
            }
            int jobs = Seen.option(options, "jobs", 20_000);
            Seen measured = new Seen(jobs, keys, false);
            Result result = round(context, jobs, options, measured);
            if (keys > 0) {
                Seen probed = new Seen(PROBE, keys, true);
                round(context, PROBE, options, probed);
                measured.add(probed);
            }
            System.out.println(measured.line(
                    options.getOrDefault("name", "namastack-outbox"), jobs, result.enqueueSeconds(), jobs - result.left(), result.drainSeconds()));
        }
        System.exit(0);
    }

    /** An instance processes what it was assigned, and is assigned nothing at first. */
    private static void awaitPartitions(JdbcTemplate jdbc) throws InterruptedException {
        while (jdbc.queryForObject("SELECT count(*) FROM outbox_partition WHERE instance_id IS NOT NULL", Integer.class) == 0) {
            Thread.sleep(100);
        }
    }

    private static Result round(ConfigurableApplicationContext context, int jobs, Map<String, String> options, Seen watching) throws Exception {
        OutboxProcessingScheduler scheduler = context.getBean(OutboxProcessingScheduler.class);
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        int keys = Seen.option(options, "keys", 0);
        seen = watching;
        scheduler.stop();
        long began = System.nanoTime();
        enqueue(context, jobs, keys);
        double enqueueSeconds = (System.nanoTime() - began) / 1e9;
        began = System.nanoTime();
        long deadline = began + Seen.option(options, "seconds", 60) * 1_000_000_000L;
        scheduler.start();
        while (seen.done() < jobs && System.nanoTime() < deadline) {
            Thread.sleep(2);
        }
        int left = left(jdbc);
        while (seen.done() >= jobs && left > 0 && System.nanoTime() < deadline) {
            Thread.sleep(2);
            left = left(jdbc);
        }
        double drainSeconds = (System.nanoTime() - began) / 1e9;
        scheduler.stop();
        jdbc.execute("TRUNCATE outbox_record");
        scheduler.start();
        return new Result(enqueueSeconds, drainSeconds, left);
    }

    private static int left(JdbcTemplate jdbc) {
        return jdbc.queryForObject("SELECT count(*) FROM outbox_record WHERE status <> 'COMPLETED'", Integer.class);
    }

    private static void enqueue(ConfigurableApplicationContext context, int jobs, int keys) throws InterruptedException {
        Outbox outbox = context.getBean(Outbox.class);
        TransactionTemplate transactions = context.getBean(TransactionTemplate.class);
        String filler = "x".repeat(150);
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            List<Integer> numbers = new ArrayList<>();
            for (int i = 0; i < jobs; i++) {
                if (Seen.keyOf(i, keys) % 4 == p) {
                    numbers.add(i);
                }
            }
            Thread thread = new Thread(() -> {
                for (int at = 0; at < numbers.size(); at += 500) {
                    List<Integer> chunk = numbers.subList(at, Math.min(numbers.size(), at + 500));
                    transactions.executeWithoutResult(status -> chunk.forEach(i -> {
                        int key = Seen.keyOf(i, keys);
                        outbox.schedule((keys > 0 ? key : 0) + " " + (i + 1) + " " + filler, "chat:" + key);
                    }));
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
