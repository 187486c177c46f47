import type { OwnHealth } from './diagnosis.js';
import { findingText, ownText } from './diagnosis-text.js';
import type { Finding } from './evidence.js';
import { KIND_WORDS } from './failure-words.js';

/** What is unusual at a supplier: who can do something about it, since when, and what to press. */
export function Findings({
  findings,
  name,
  now,
  own,
}: {
  findings: readonly Finding[];
  name: string;
  now: number;
  own: OwnHealth;
}) {
  return (
    <section class="card findings" aria-label="Diagnosis">
      {findings.length === 0 && (
        <p>
          <span class="badge good">Normal</span> Nothing unusual at {name} compared with the last 24 hours.
        </p>
      )}
      {findings.map((finding) => (
        <div key={`${finding.operation} ${finding.kind}`}>
          <p>
            <Whose who={finding.who} /> {findingText(finding, name, now)}
          </p>
          <p class="quiet">
            <strong>What to do:</strong>{' '}
            {finding.who === 'us' && KIND_WORDS[finding.kind]?.who !== 'us'
              ? 'Switching this supplier does not help: several suppliers fail alike, or our gateways lag. Check our network and the load of the gateways.'
              : (KIND_WORDS[finding.kind]?.press ?? 'Open a failed exchange below.')}
          </p>
        </div>
      ))}
      <p class="quiet">{ownText(own)}</p>
    </section>
  );
}

/** Them or us, as a badge. */
export function Whose({ who }: { who: Finding['who'] }) {
  return <span class={`badge ${who === 'them' ? 'bad' : 'partial'}`}>{who === 'them' ? 'Them' : 'Us'}</span>;
}
