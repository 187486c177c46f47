import type { Visitor } from '../../accounts/sessions.service.js';
import type { ShownSecret } from '../../auth/application-records.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { CopyButton } from '../shell/copy-button.js';
import { Moment } from '../shell/moment.js';
import { shortId } from '../shell/short-id.js';
import { areaPage } from './area-page.js';
import { Badges } from './badges.js';
import { Crumb } from './crumb.js';
import { type Begun, NextSteps } from './next-steps.js';

type Named = Pick<OwnApplication, 'id' | 'name' | 'clientId' | 'environment' | 'state'>;

/**
 * The credentials of a new application, with its secret in plain text, or how to show it if it was shown before (undefined). `origin`: where to
 * call.
 */
export function madePage(
  visitor: Visitor,
  application: Named & Begun,
  clientSecret: string | undefined,
  origin: string,
): Answer {
  const { id, name, clientId } = application;
  return areaPage(
    { title: 'Credentials', visitor, notice: clientSecret === undefined ? undefined : `${name} was created.` },
    <>
      <Heading title="Credentials" application={application} />
      <dl class="facts">
        <dt>Client id</dt>
        <dd>
          <Copied id="client-id" text={clientId} label="Copy id" />
        </dd>
        <dt>Client secret</dt>
        <dd>
          {clientSecret === undefined ? (
            <a href={`/applications/${id}/credentials`}>Show with your password</a>
          ) : (
            <Copied id="client-secret" text={clientSecret} label="Copy secret" />
          )}
        </dd>
      </dl>
      <p>
        The secret is shown here once. Store it where only your application can read it. You can view it again on the
        application page by entering your password.
      </p>
      <NextSteps application={application} origin={origin} />
      <p>
        <a href={`/applications/${id}`}>Go to the application</a>
      </p>
    </>,
  );
}

/** All active secrets of an application in plain text, newest first. */
export function credentialsPage(
  visitor: Visitor,
  application: Named,
  secrets: readonly ShownSecret[],
  notice?: string,
): Answer {
  return areaPage(
    { title: `Credentials for ${application.name}`, visitor, notice },
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
      {secrets.toReversed().map(({ id, clientSecret, createdAt, expiresAt }, index) => (
        <dl class="facts card" key={id}>
          <dt>Client secret</dt>
          <dd>
            {clientSecret === undefined ? (
              "This secret can't be shown again. Create a new one."
            ) : (
              <Copied id={index === 0 ? 'client-secret' : id} text={clientSecret} label="Copy secret" />
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
    </>,
  );
}

function Heading({ title, application }: { title: string; application: Named }) {
  return (
    <>
      <Crumb application={application} here={title} />
      <h1>
        {title} <Badges application={application} />
      </h1>
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
