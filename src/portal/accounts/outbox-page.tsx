import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import type { KeptMail } from '../../mail/outbox.js';
import { Moment } from '../shell/moment.js';
import { page } from '../shell/page.js';

const URLS = /(https?:\/\/\S+)/;

/** All emails of a sandbox without a mail server, newest first. */
export function outboxPage(mails: readonly KeptMail[], visitor: Visitor | undefined): Answer {
  return page(
    { title: 'Outbox', visitor, styles: ['accounts.css'], scripts: ['outbox.js'] },
    <>
      <h1>Outbox</h1>
      <p class="warning">
        This sandbox has no mail server, so emails are not sent. Anyone with the link that opened this page can read all
        emails and follow their links. Set <code>SMTP_URL</code> before you share this sandbox with people you don't
        trust.
      </p>
      <div id="live">
        {mails.length === 0 && (
          <p>
            No emails yet. <a href="/signup">Sign up</a> to get the first one.
          </p>
        )}
        {mails.map((mail) => (
          <article class="card" key={mail.id}>
            <h2>{mail.subject}</h2>
            <p class="quiet">
              To {mail.to}, <Moment at={mail.at} />
            </p>
            <p class="mail">{linked(mail.text)}</p>
          </article>
        ))}
      </div>
    </>,
  );
}

/** Renders the URLs in a text as links. Splitting by a group makes every second piece a URL. */
function linked(text: string) {
  return text.split(URLS).map((piece, index) =>
    index % 2 === 1 ? (
      <a key={piece} href={piece}>
        {piece}
      </a>
    ) : (
      piece
    ),
  );
}
