import type { OwnApplication } from '../../auth/own-applications.js';
import { CardTable } from '../shell/card-table.js';
import { Moment } from '../shell/moment.js';
import { shortId } from '../shell/short-id.js';

/** The active secrets by id, with links to revoke or create one. */
export function SecretsSection({ application: { id, secrets } }: { application: OwnApplication }) {
  return (
    <section>
      <h2 id="secrets">Secrets</h2>
      {secrets.length === 0 ? (
        <p class="warning">There are no active secrets, so this application can't get tokens. Create a new secret.</p>
      ) : (
        <CardTable
          label="Secrets"
          columns={[
            { name: 'Secret' },
            { name: 'Created' },
            { name: 'Last used' },
            { name: 'Expires' },
            { name: 'Revoke' },
          ]}
          rows={secrets.map((secret) => ({
            key: secret.id,
            cells: [
              <code>{shortId(secret.id)}</code>,
              <Moment at={secret.createdAt} />,
              secret.lastUsedAt === null ? 'never' : <Moment at={secret.lastUsedAt} />,
              secret.expiresAt === null ? 'never' : <Moment at={secret.expiresAt} />,
              <a href={`/applications/${id}/secrets/${secret.id}/revoke`}>Revoke…</a>,
            ],
          }))}
        />
      )}
      <p>
        <a class="button second" href={`/applications/${id}/secrets/new`}>
          New secret
        </a>
      </p>
    </section>
  );
}
