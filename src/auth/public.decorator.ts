import { SetMetadata } from '@nestjs/common';
import type { ProductId } from '../products/policy.js';

/** Metadata keys read by the guards. */
export const PUBLIC = 'forecourt:public';
export const PRODUCT = 'forecourt:product';

/** The route needs no access token. */
export const Public = () => SetMetadata(PUBLIC, true);

/** The route belongs to an API product: applications without a subscription get 403. */
export const Product = (product: ProductId) => SetMetadata(PRODUCT, product);
