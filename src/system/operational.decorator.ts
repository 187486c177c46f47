import { SetMetadata } from '@nestjs/common';

/** Metadata key read by the maintenance guard. */
export const OPERATIONAL = 'forecourt:operational';

/** The controller serves operators and documents: up during maintenance. */
export const Operational = () => SetMetadata(OPERATIONAL, true);
