import { renderToString } from 'preact-render-to-string';
import type { Mail } from './mailer.js';

/** A letter in plain words; `action` is the one link to follow. */
export function letter({
  subject,
  greeting,
  paragraphs,
  action,
}: {
  readonly subject: string;
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  readonly action?: { readonly label: string; readonly url: string };
}): Omit<Mail, 'to'> {
  const lines = [greeting, ...paragraphs, ...(action ? [`${action.label}: ${action.url}`] : [])];
  const html = (
    <html lang="en">
      <body>
        <p>{greeting}</p>
        {paragraphs.map((text) => (
          <p key={text}>{text}</p>
        ))}
        {action && (
          <p>
            <a href={action.url}>{action.label}</a>
          </p>
        )}
      </body>
    </html>
  );
  return { subject, text: `${lines.join('\n\n')}\n`, html: `<!doctype html>${renderToString(html)}` };
}
