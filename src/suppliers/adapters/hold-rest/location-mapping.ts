import type { SupplierLocation } from '../../models.js';
import type { StationWire } from './wire.js';

/** A station as one of our locations. The dialect has public stations only and tells no special days. */
export function mapStation(wire: StationWire, brand: string): SupplierLocation {
  const { latitude, longitude, address } = wire;
  return {
    brand,
    code: wire.code,
    codeContext: 'supplier',
    iataCode: wire.iata,
    name: wire.name,
    type: wire.type ?? 'other',
    counter: wire.counter,
    address: {
      lines: address.lines,
      city: address.city,
      region: address.region,
      postalCode: address.postalCode,
      countryCode: address.country,
    },
    // Both or neither.
    ...(latitude !== undefined && longitude !== undefined && { latitude, longitude }),
    phone: wire.phone,
    openingHours: wire.openingHours,
    specialHours: [],
    afterHoursReturn: wire.afterHoursReturn,
    services: wire.services,
    public: true,
  };
}
