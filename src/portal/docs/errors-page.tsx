import type { ErrorExample } from './error-examples.js';

/** Buttons below docs/errors.md that open the console to trigger each response. */
export function ProvokeTable({ rows }: { rows: readonly ErrorExample[] }) {
  return (
    <section aria-labelledby="try-the-errors">
      <h2 id="try-the-errors">Try the errors</h2>
      <p>Each button opens the console with the request filled in. Log in and send it.</p>
      <table class="provoke">
        <thead>
          <tr>
            <th scope="col">Response</th>
            <th scope="col">How to trigger it</th>
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
                      Trigger {code} {cause || reason}
                    </a>
                    {first && (
                      <p class="hint">
                        In the console, press <em>{first}</em>, then <em>Send</em>.
                      </p>
                    )}
                  </>
                ) : (
                  <p class="quiet">Takes more than one request, so it has no button.</p>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Renders text in which backticks mark code. */
function withCode(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}
