/** Derives the names of a new adapter from its id. */

/** `city_cars` → `city-cars`. */
export function folderOf(id: string): string {
  return id.replaceAll('_', '-');
}

/** `city_cars` → `createCityCarsAdapter`. */
export function creatorOf(id: string): string {
  return `create${capitals(id).join('')}Adapter`;
}

/** `city_cars` → `City Cars`. */
export function nameOf(id: string): string {
  return capitals(id).join(' ').trim();
}

function capitals(id: string): string[] {
  return id.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
}
