/** The house's plan as tests: who may import whom, who speaks SQL, who reads the clock. Knows no behaviour. */
@NullMarked
package io.tailrace.architecture;

import org.jspecify.annotations.NullMarked;
