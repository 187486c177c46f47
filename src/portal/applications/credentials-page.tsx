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

/** The credentials of a new application, or its new secret, in plain text. `origin`: where to call, to show the next steps. */
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
          <Copied id="client-id" text={application.clientId} label="Copy id" />
        </dd>
        <dt>Client secret</dt>
        <dd>
          <Copied id="client-secret" text={clientSecret} label="Copy secret" />
        </dd>
      </dl>
      <p>
        Store the secret where only your application can read it. You can view it again on the application page by
        entering your password.
      </p>
      {origin !== undefined && <NextSteps application={application} origin={origin} />}
      <p>
        <a href={`/applications/${application.id}`}>Go to the application</a>
      </p>
    </>,
  );
}

/** All active secrets of an application in plain text, newest first. */
export function credentialsPage(visitor: Visitor, application: Named, secrets: readonly ShownSecret[]): Answer {
  return areaPage(
    { title: `Credentials for ${application.name}`, visitor },
    <>
      <Heading title="Credentials" application={application} />
      <p class="warning">
        These are <strong>{application.environment}</strong> credentials. Each time you view them is recorded in the
        activity log.
      </p>
      <dl class="facts">
        <dt>Client id</dt>
        <dd>
          <Copied id="client-id" text={application.clientId} label="Copy id" />
        </dd>
      </dl>
      {secrets.length === 0 && <p>There are no active secrets. Create one on the application page.</p>}
      {secrets.toReversed().map(({ id, clientSecret, createdAt, expiresAt }) => (
        <dl class="facts card" key={id}>
          <dt>Client secret</dt>
          <dd>
            {clientSecret === undefined ? (
              "This secret can't be shown again. Create a new one."
            ) : (
              <Copied id={id} text={clientSecret} label="Copy secret" />
            )}
          </dd>
          <dt>Id</dt>
          <dd>
            <code>{shortId(id)}</code>
          </dd>
          <dt>Created</dt>
          <dd>
            <Moment at={createdAt.getTime()} />
          </dd>
          <dt>Expires</dt>
          <dd>{expiresAt === null ? 'never' : <Moment at={expiresAt.getTime()} />}</dd>
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
