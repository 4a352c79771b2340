/** Tests of the settings. */
@NullMarked
package io.tailrace.config;

import org.jspecify.annotations.NullMarked;
