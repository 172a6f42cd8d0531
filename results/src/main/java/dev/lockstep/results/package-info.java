/**
 * Plan, result and run directory of a run, as immutable values and as files.
 *
 * <p>The values are generated from abstract classes by Immutables. Jackson reads and writes them as {@code plan.json},
 * {@code run.json} and {@code intervals.jsonl}: a field's name is that of its accessor unless {@code @JsonProperty}
 * says otherwise, fields stand in the order of their accessors, absent values are left out. A new field is an abstract
 * accessor (optional, or with a default, so that older files stay readable) and its Javadoc, which
 * {@code ResultsPageTest} writes to {@code docs/fields.md}.
 *
 * <p>May know {@code measurement}, whose histograms and counts results are made of. Knows nothing of how a run is
 * carried out or shown.
 */
@ValueStyle
package dev.lockstep.results;
