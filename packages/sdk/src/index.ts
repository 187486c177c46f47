export { Forecourt } from './client.js';
export {
  ApiError,
  BudgetError,
  ConnectionError,
  ForecourtError,
  PagesNotKeptError,
  WebhookError,
} from './errors.js';
export type { components, paths } from './generated/api.js';
export type {
  Booking,
  BookingOptions,
  CallOptions,
  ForecourtOptions,
  Found,
  ListedReservation,
  LocationSearch,
  LocationsAnswer,
  Offer,
  PriceRequest,
  Quote,
  Reservation,
  ReservationFilter,
  SearchLine,
  StatusEntry,
  Token,
  VehicleSearch,
  VehiclesAnswer,
} from './types.js';
export { verifyWebhook, type WebhookEvent, type WebhookOptions, type WebhookRequest } from './webhooks.js';
