import { SetMetadata } from '@nestjs/common';

/** Metadata key read by the maintenance guard. */
export const OPERATIONAL = 'forecourt:operational';

/** Marks a controller for operators and documents, which stays available during maintenance. */
export const Operational = () => SetMetadata(OPERATIONAL, true);
