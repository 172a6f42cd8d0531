/**
 * Plan and result of a run as immutable values: {@link dev.lockstep.results.RunPlan} and
 * {@link dev.lockstep.results.RunResult}, and what they are made of. {@code directory} keeps them as files,
 * {@code json} turns them into text and back. The values know {@code json}, and {@code directory} knows both.
 * {@code comparison} has the values that are made of several results.
 *
 * <p>The values are generated from abstract classes by Immutables. Jackson reads and writes them as {@code plan.json},
 * {@code run.json} and {@code intervals.jsonl}: a field's name is that of its accessor unless {@code @JsonProperty}
 * says otherwise, fields stand in the order of their accessors, absent values are left out. A new field is an abstract
 * accessor (optional, or with a default, so that older files stay readable) and its Javadoc, which
 * {@code ResultsPageTest} writes to {@code docs/fields.md}.
 *
 * <p>The rows of {@code intervals.jsonl}, encoded histograms, and what puts a read or recovered result together are
 * public for {@code directory} only.
 *
 * <p>May know {@code measurement}, whose histograms and counts results are made of. Knows nothing of how a run is
 * carried out or shown.
 */
@ValueStyle
package dev.lockstep.results;
