import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { LinkPurpose } from '../../accounts/account-links.js';
import type { Answer } from '../../http/answer.js';
import { Field } from '../shell/field.js';
import { readSubmitted } from '../shell/form.js';
import { page } from '../shell/page.js';

/** For each kind of link, the title of its page and where people find it. */
const LINKS = {
  verify: { title: 'Activate your account', source: 'the email' },
  reset: { title: 'Choose a password', source: 'the email' },
  outbox: { title: 'Outbox', source: 'the output of npm start' },
} as const satisfies Record<LinkPurpose | 'outbox', object>;

/**
 * Where an emailed link, or the printed link to the outbox, leads. Its secret is in the fragment, which browsers don't send: link.js posts it. Without
 * scripts, people paste the link.
 */
export function linkPage(purpose: keyof typeof LINKS): Answer {
  const { title, source } = LINKS[purpose];
  return page(
    { title, visitor: undefined, scripts: ['link.js'] },
    <>
      <h1>{title}</h1>
      <p>If this page doesn't continue automatically, copy the complete link from {source} and paste it here.</p>
      <form class="stack" method="post" action={`/${purpose}/link`}>
        <Field state={{}} name="secret" label={`Link from ${source}`} autocomplete="off" />
        <p class="actions">
          <button type="submit">Continue</button>
        </p>
      </form>
    </>,
  );
}

const linkForm = z.object({ secret: z.string().catch('') });

/** The secret that a form behind a link sends: a hidden field, or what a person pasted. Empty if there is none. */
export function linkSecretOf(request: FastifyRequest): string {
  const submitted = readSubmitted(request, linkForm);
  return /[\w-]{43}$/.exec(submitted.ok ? submitted.values.secret.trim() : '')?.[0] ?? '';
}

/** The hidden field that `linkSecretOf` reads. */
export function LinkSecret({ secret }: { secret: string }) {
  return <input type="hidden" name="secret" value={secret} />;
}
