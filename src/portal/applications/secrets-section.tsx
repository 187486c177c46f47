import type { OwnApplication } from '../../auth/own-applications.js';
import { Moment } from '../shell/moment.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { shortId } from '../shell/short-id.js';

/** The active secrets by id, with links to revoke or create one. */
export function SecretsSection({ application: { id, secrets } }: { application: OwnApplication }) {
  return (
    <section>
      <h2 id="secrets">Secrets</h2>
      {secrets.length === 0 ? (
        <p class="warning">There are no active secrets, so this application can't get tokens. Create a new secret.</p>
      ) : (
        <ScrollingTable label="Secrets">
          <thead>
            <tr>
              <th scope="col">Secret</th>
              <th scope="col">Created</th>
              <th scope="col">Last used</th>
              <th scope="col">Expires</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {secrets.map((secret) => (
              <tr key={secret.id}>
                <th scope="row">
                  <code>{shortId(secret.id)}</code>
                </th>
                <td>
                  <Moment at={secret.createdAt} />
                </td>
                <td>{secret.lastUsedAt === null ? 'never' : <Moment at={secret.lastUsedAt} />}</td>
                <td>{secret.expiresAt === null ? 'never' : <Moment at={secret.expiresAt} />}</td>
                <td>
                  <a href={`/applications/${id}/secrets/${secret.id}/revoke`}>Revoke…</a>
                </td>
              </tr>
            ))}
          </tbody>
        </ScrollingTable>
      )}
      <p>
        <a class="button second" href={`/applications/${id}/secrets/new`}>
          New secret
        </a>
      </p>
    </section>
  );
}
