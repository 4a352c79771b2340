package io.tailrace.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What other programs need to speak to a {@code dev} service, as in the wire document.
 *
 * @param key an API key with all scopes
 */
record DevFile(String url, String adminUrl, String adminToken, String key, String tenantId, String jdbcUrl) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Writes it for this user's eyes only, whole or not at all: its appearance means that the service is ready. */
    void write(Path file) throws IOException {
        Path folder = Files.createDirectories(file.toAbsolutePath().normalize().getParent());
        Path part = Files.createTempFile(folder, "dev", ".part");
        // createTempFile gives 0600 on its own where there are such permissions; this says so.
        if (part.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rw-------"));
        }
        Files.write(part, JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(fields()));
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    Map<String, String> fields() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("url", url);
        fields.put("admin_url", adminUrl);
        fields.put("admin_token", adminToken);
        fields.put("key", key);
        fields.put("tenant_id", tenantId);
        fields.put("jdbc_url", jdbcUrl);
        return fields;
    }

    @Override
    public String toString() {
        return "DevFile[" + url + "]";
    }
}
