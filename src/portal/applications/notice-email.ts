import { renderEmail } from '../../mail/render-email.js';
import type { SiteAddress } from '../../mail/site-address.js';
import { formatVersion, type Version } from '../../products/version.js';

/** What an account needs to know about a deprecated version. */
export interface DeprecationNotice extends Version {
  /** Primary key in notices_sent. */
  readonly key: string;
  readonly email: string;
  readonly accountName: string;
  readonly productName: string;
  readonly productId: string;
  /** ISO 8601; null: not set yet. */
  readonly sunsetAt: string | null;
  /** The newest Live version of the product, if any. */
  readonly successor: Version | null;
  /** Names of the account's applications that are subscribed to the product. */
  readonly applications: readonly string[];
}

/** The email: what is deprecated, how long it works, what to use instead, and which applications are affected. */
export function noticeEmail(notice: DeprecationNotice, site: Pick<SiteAddress, 'url'>) {
  const { productName, accountName, sunsetAt, successor, applications } = notice;
  const version = `${productName} ${formatVersion(notice)}`;
  const end =
    sunsetAt === null ? 'Its retirement date is not set yet.' : `It will be retired on ${sunsetAt.slice(0, 10)}.`;
  return renderEmail({
    subject: `${version} is deprecated`,
    greeting: `Hello ${accountName},`,
    paragraphs: [
      `${version} is deprecated. It keeps working for existing subscriptions but doesn’t accept new ones.`,
      successor === null ? end : `${end} Migrate to ${formatVersion(successor)}.`,
      `Your subscribed applications: ${applications.join(', ')}.`,
    ],
    action: { label: 'View products', url: site.url('/products') },
  });
}
