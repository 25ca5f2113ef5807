interface FactsProps {
  /** A term and what is so; one that does not apply is left out. */
  readonly facts: readonly (readonly [string, string | undefined])[];
}

export function Facts({ facts }: FactsProps) {
  return (
    <dl class="facts">
      {facts.map(([term, value]) =>
        value === undefined ? null : (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
