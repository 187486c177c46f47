import type { ErrorExample } from './error-examples.js';

/** Buttons that provoke each answer in the console, below the text of docs/errors.md. */
export function ProvokeTable({ rows }: { rows: readonly ErrorExample[] }) {
  return (
    <section aria-labelledby="provoke-them">
      <h2 id="provoke-them">Provoke them</h2>
      <p>Each button opens the console with everything filled in: log in, and send it.</p>
      <table class="provoke">
        <thead>
          <tr>
            <th scope="col">Answer</th>
            <th scope="col">What brings it about</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ code, reason, cause, how, console, first }) => (
            <tr key={how}>
              <td>
                <strong>{code}</strong> {reason === '' ? 'success' : reason}
                {cause && <div class="quiet">cause {cause}</div>}
              </td>
              <td>
                <p>{withCode(how)}</p>
                {console ? (
                  <>
                    <a class="button second" href={console} data-code={code} data-reason={reason} data-cause={cause}>
                      Provoke {code} {cause || reason}
                    </a>
                    {first && (
                      <p class="hint">
                        There press <em>{first}</em>, then <em>Send</em>.
                      </p>
                    )}
                  </>
                ) : (
                  <p class="quiet">Not by one request of your application: no button.</p>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Text in which backticks mark code. */
function withCode(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}
