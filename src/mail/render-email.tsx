import { renderToString } from 'preact-render-to-string';
import type { Mail } from './outbox.js';

/** The content of an email as plain text; HTML in it is escaped. */
export interface EmailContent {
  readonly subject: string;
  /** The first line, such as "Hello Ada Sample,". */
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  /** The call to action below the paragraphs. */
  readonly action?: { readonly label: string; readonly url: string };
}

const STYLE = `
  :root { color-scheme: light dark; }
  body { margin: 0; padding: 24px; background: #fff; color: #16191d; font: 16px/1.5 system-ui, sans-serif; }
  main { max-width: 560px; margin: 0 auto; }
  a { color: #0b5fa5; overflow-wrap: anywhere; }
  .action { display: inline-block; padding: 10px 18px; border-radius: 6px; background: #0b5fa5; color: #fff; text-decoration: none; font-weight: 600; }
  .quiet { color: #57606a; font-size: 14px; }
  @media (prefers-color-scheme: dark) {
    body { background: #14171b; color: #e8eaed; }
    a { color: #7ab8f5; }
    .action { background: #7ab8f5; color: #0b1b2b; }
    .quiet { color: #a3adb8; }
  }`;

const SIGNATURE = "Forecourt. This is an automated message; replies aren't monitored.";

/** Renders an email without its recipient, as plain text and as HTML without external resources. */
export function renderEmail({ subject, greeting, paragraphs, action }: EmailContent): Omit<Mail, 'to'> {
  const lines = [greeting, ...paragraphs, ...(action ? [`${action.label}:\n${action.url}`] : []), `-- \n${SIGNATURE}`];
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{subject}</title>
        <style>{STYLE}</style>
      </head>
      <body>
        <main>
          <p>{greeting}</p>
          {paragraphs.map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
          {action && (
            <>
              <p>
                <a class="action" href={action.url}>
                  {action.label}
                </a>
              </p>
              <p class="quiet">
                Or copy this link into your browser: <a href={action.url}>{action.url}</a>
              </p>
            </>
          )}
          <p class="quiet">{SIGNATURE}</p>
        </main>
      </body>
    </html>
  );
  return { subject, text: `${lines.join('\n\n')}\n`, html: `<!doctype html>${renderToString(page)}` };
}
