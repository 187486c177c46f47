import { letter } from '../../mail/letter.js';
import type { SiteAddress } from '../../mail/site-address.js';
import { formatVersion, type Version } from '../../products/version.js';

/** What an account is to be told of a deprecated version. */
export interface DeprecationNotice extends Version {
  /** Of notices_sent. */
  readonly key: string;
  readonly email: string;
  readonly accountName: string;
  readonly productName: string;
  readonly productId: string;
  /** ISO 8601; null = not known yet. */
  readonly sunsetAt: string | null;
  /** The newest Live version of the product; null = none. */
  readonly successor: Version | null;
  /** Names of the account's applications that subscribe to the product. */
  readonly applications: readonly string[];
}

/** The letter: what is deprecated, until when it works, what to use instead, whom it concerns. */
export function noticeLetter(notice: DeprecationNotice, site: Pick<SiteAddress, 'url'>) {
  const { productName, accountName, sunsetAt, successor, applications } = notice;
  const version = `${productName} ${formatVersion(notice)}`;
  const end =
    sunsetAt === null
      ? 'When it will be retired is not set yet.'
      : `It works until ${sunsetAt.slice(0, 10)} and is then retired.`;
  return letter({
    subject: `${version} is deprecated`,
    greeting: `Hello ${accountName},`,
    paragraphs: [
      `${version} is deprecated: it goes on working for applications that subscribed before, and takes no new ones.`,
      successor === null ? end : `${end} Its successor is ${formatVersion(successor)}.`,
      `Subscribed to the product: ${applications.join(', ')}.`,
    ],
    action: { label: 'To the products', url: site.url('/products') },
  });
}
