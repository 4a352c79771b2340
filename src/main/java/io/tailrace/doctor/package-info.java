/**
 * What an operator wants looked at before trusting a database: settings, schema, partitions, what holds vacuum back.
 *
 * <p>{@code DoctorCatalog} and {@code IndexCatalog} read facts, {@code DoctorRules} and {@code IndexRules} (no I/O) make
 * diagnoses of them, {@code Doctor} puts both together. Changes nothing. May import: {@code partition}, {@code db}, Vert.x core and the SQL client.
 */
@NullMarked
package io.tailrace.doctor;

import org.jspecify.annotations.NullMarked;
