import type { Visitor } from '../../accounts/sessions.service.js';
import type { ShownSecret } from '../../auth/application-admin.js';
import type { Credentials } from '../../auth/application-records.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { CopyButton } from '../shell/copy-button.js';
import { Moment } from '../shell/moment.js';
import { shortId } from '../shell/short-id.js';
import { areaPage } from './area-page.js';
import { Badges } from './badges.js';
import { type Begun, NextSteps } from './next-steps.js';

type Named = Pick<OwnApplication, 'id' | 'name' | 'clientId' | 'environment' | 'state'>;

/** The credentials of an application just made, or its new secret, in the clear. `origin`: where to call; undefined = not at this gateway. */
export function madePage(
  visitor: Visitor,
  application: Named & Begun,
  { clientSecret }: Pick<Credentials, 'clientSecret'>,
  { title, notice, origin }: { readonly title: string; readonly notice: string; readonly origin: string | undefined },
): Answer {
  return areaPage(
    { title, visitor, notice },
    <>
      <Heading title={title} application={application} />
      <dl class="facts">
        <dt>Client id</dt>
        <dd>
          <Copied id="client-id" text={application.clientId} label="Copy the id" />
        </dd>
        <dt>Client secret</dt>
        <dd>
          <Copied id="client-secret" text={clientSecret} label="Copy the secret" />
        </dd>
      </dl>
      <p>
        Keep the secret where only your application can read it. You can look at it again on the page of the
        application, with your password.
      </p>
      {origin !== undefined && <NextSteps application={application} origin={origin} />}
      <p>
        <a href={`/applications/${application.id}`}>To the application</a>
      </p>
    </>,
  );
}

/** All live secrets of an application in the clear, the newest first. */
export function credentialsPage(visitor: Visitor, application: Named, secrets: readonly ShownSecret[]): Answer {
  return areaPage(
    { title: `Credentials of ${application.name}`, visitor },
    <>
      <Heading title="Credentials" application={application} />
      <p class="warning">
        These are the credentials of the <strong>{application.environment}</strong>. That you looked at them is
        recorded.
      </p>
      <dl class="facts">
        <dt>Client id</dt>
        <dd>
          <Copied id="client-id" text={application.clientId} label="Copy the id" />
        </dd>
      </dl>
      {secrets.length === 0 && <p>There is no live secret. Make a new one on the page of the application.</p>}
      {secrets.toReversed().map(({ id, clientSecret, createdAt, expiresAt }) => (
        <dl class="facts card" key={id}>
          <dt>Client secret</dt>
          <dd>
            {clientSecret === undefined ? (
              'It cannot be shown again. Make a new one.'
            ) : (
              <Copied id={id} text={clientSecret} label="Copy the secret" />
            )}
          </dd>
          <dt>Id</dt>
          <dd>
            <code>{shortId(id)}</code>
          </dd>
          <dt>Made</dt>
          <dd>
            <Moment at={createdAt.getTime()} />
          </dd>
          <dt>Ends</dt>
          <dd>{expiresAt === null ? 'never by itself' : <Moment at={expiresAt.getTime()} />}</dd>
        </dl>
      ))}
      <p>
        <a href={`/applications/${application.id}`}>Back to the application</a>
      </p>
    </>,
  );
}

function Heading({ title, application }: { title: string; application: Named }) {
  return (
    <>
      <p class="quiet">
        {application.name} <Badges application={application} />
      </p>
      <h1>{title}</h1>
    </>
  );
}

function Copied({ id, text, label }: { id: string; text: string; label: string }) {
  return (
    <>
      <code id={id}>{text}</code> <CopyButton from={id} label={label} />
    </>
  );
}
