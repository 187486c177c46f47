import type { SippCategory, SippType } from '../model/acriss.js';

/** Own drawings of car bodies from the side, facing right. */
export const BODIES = [
  'hatchback',
  'sedan',
  'wagon',
  'suv',
  'minivan',
  'minibus',
  'coupe',
  'convertible',
  'pickup',
  'van',
  'motorhome',
  'two_wheel',
  'car',
] as const;
export type Body = (typeof BODIES)[number];

/** How large a drawing is, so that a mini and a luxury car differ. */
export const SIZES = ['small', 'medium', 'large'] as const;
export type Size = (typeof SIZES)[number];

/** A silhouette: the body with its size. */
export interface Silhouette {
  readonly body: Body;
  readonly size: Size;
}

/** An outline above the wheels, from the rear bumper to the front bumper, with its windows and the centers of its wheels. */
interface Outline {
  /** Where the rear bumper is. */
  readonly left: number;
  readonly top: string;
  readonly windows: string;
  readonly wheels: readonly [number, number];
}

const OUTLINES: Readonly<Record<Exclude<Body, 'two_wheel' | 'car'>, Outline>> = {
  hatchback: {
    left: 20,
    top: 'V62C20 54 23 51 28 48L44 28Q48 22 57 22H116Q124 22 130 27L154 47L196 53Q214 56 214 66V78',
    windows: 'M46 46L57 31H86V46ZM93 46V31H115Q120 31 124 34L140 46Z',
    wheels: [60, 176],
  },
  sedan: {
    left: 12,
    top: 'V60C12 53 16 51 24 50L54 47L78 27Q83 23 91 23H134Q142 23 148 28L170 46L212 52Q230 55 230 66V78',
    windows: 'M70 46L86 32H107V46ZM114 46V32H133Q138 32 142 35L156 46Z',
    wheels: [56, 184],
  },
  wagon: {
    left: 10,
    top: 'V58C10 52 12 49 16 45L28 28Q32 23 40 23H134Q142 23 148 28L170 46L212 52Q230 55 230 66V78',
    windows: 'M34 45L44 32H72V45ZM79 45V32H107V45ZM114 45V32H133Q138 32 142 35L155 45Z',
    wheels: [56, 184],
  },
  suv: {
    left: 14,
    top: 'V50C14 44 16 42 20 38L32 20Q36 14 45 14H132Q140 14 146 19L168 40L210 46Q226 49 226 60V78',
    windows: 'M38 39L48 24H74V39ZM81 39V24H108V39ZM115 39V24H131Q136 24 140 27L153 39Z',
    wheels: [58, 182],
  },
  minivan: {
    left: 12,
    top: 'V46C12 40 13 36 16 32L26 17Q30 12 38 12H140Q150 12 158 18L192 43L214 50Q228 54 228 64V78',
    windows: 'M30 36L40 22H72V36ZM79 36V22H112V36ZM119 36V22H139Q146 22 151 26L167 38Z',
    wheels: [58, 184],
  },
  minibus: {
    left: 10,
    top: 'V20Q10 8 22 8H178Q188 8 195 16L218 44Q230 48 230 58V78',
    windows:
      'M20 20H52V38H20ZM59 20H91V38H59ZM98 20H130V38H98ZM137 20H162V38H137ZM169 20H176Q182 20 186 25L198 40H169Z',
    wheels: [56, 188],
  },
  coupe: {
    left: 12,
    top: 'V64C12 57 18 54 28 52L58 46L86 31Q91 28 100 28H128Q138 28 146 34L166 48L212 55Q230 58 230 68V78',
    windows: 'M76 46L93 36H112V47ZM119 47V36H128Q134 36 139 40L149 48Z',
    wheels: [56, 186],
  },
  convertible: {
    left: 12,
    top: 'V62C12 55 18 53 28 52L64 51L74 46H86L92 51H126L112 30L118 28L146 49L212 55Q230 58 230 68V78',
    windows: 'M133 51L122 36L139 50Z',
    wheels: [56, 186],
  },
  pickup: {
    left: 10,
    top: 'V46H92V20Q92 15 98 15H140Q148 15 154 21L172 42L212 47Q228 50 228 60V78',
    windows: 'M101 39V25H118V39ZM125 39V25H139Q143 25 146 28L156 39Z',
    wheels: [54, 184],
  },
  van: {
    left: 8,
    top: 'V16Q8 6 18 6H150Q158 6 164 13L190 42L216 49Q230 53 230 62V78',
    windows: 'M136 18H148Q153 18 156 22L172 41H136Z',
    wheels: [54, 186],
  },
  motorhome: {
    left: 6,
    top: 'V14Q6 6 14 6H204Q216 6 214 16L206 26H178L196 46L218 51Q232 55 232 64V78',
    windows: 'M24 20H60V36H24ZM76 20H104V36H76ZM150 26H166L182 45H150Z',
    wheels: [56, 190],
  },
};

const SCALES: Readonly<Record<Size, number>> = { small: 0.84, medium: 0.92, large: 1 };
const GROUND = 92;

/** Width and height of every drawing, in pixels. */
export const DRAWING = { width: 240, height: 100 } as const;

/** Scooter: no outline above two arches. */
const TWO_WHEEL =
  'M74 78a17 17 0 1 0 -34 0a17 17 0 1 0 34 0ZM200 78a17 17 0 1 0 -34 0a17 17 0 1 0 34 0ZM36 54Q38 38 56 38H104Q112 38 112 46V62H132L150 30L142 26L146 18L164 26L188 58L178 64L160 42L146 76Q144 80 138 80H82Q80 56 58 56Z';

/** A car from the front, of which nothing but that it is a car can be said. */
const ANY_CAR =
  'M66 80V58Q66 49 75 46L88 24Q92 16 102 16H138Q148 16 152 24L165 46Q174 49 174 58V80ZM92 44L102 28Q103 26 106 26H134Q137 26 138 28L148 44ZM96 60a9 6 0 1 0 -18 0a9 6 0 1 0 18 0ZM162 60a9 6 0 1 0 -18 0a9 6 0 1 0 18 0ZM72 82H94V88Q94 92 90 92H76Q72 92 72 88ZM146 82H168V88Q168 92 164 92H150Q146 92 146 88Z';

/** The path of a silhouette in a view box of 240 by 100, to be filled with the rule evenodd. */
function pathOf(body: Body): string {
  if (body === 'two_wheel') return TWO_WHEEL;
  if (body === 'car') return ANY_CAR;
  const { left, top, windows, wheels } = OUTLINES[body];
  const [rear, front] = wheels;
  const wheel = (x: number): string => `M${x + 13} 78a13 13 0 1 0 -26 0a13 13 0 1 0 26 0Z`;
  const bottom = `H${front + 18}a18 18 0 0 0 -36 0H${rear + 18}a18 18 0 0 0 -36 0H${left}Z`;
  return `M${left} 78${top}${bottom}${windows}${wheel(rear)}${wheel(front)}`;
}

/**
 * The SVG of a silhouette. `color`: a CSS color, such as currentColor; default: gray that fits the reader's light or dark
 * mode. No text and nothing from outside.
 */
export function silhouetteSvg({ body, size }: Silhouette, color?: string): string {
  const scale = SCALES[size];
  const place = `translate(${((1 - scale) * 120).toFixed(1)} ${((1 - scale) * GROUND).toFixed(1)}) scale(${scale})`;
  const style = color === undefined ? `<style>${STYLE}</style>` : '';
  const fill = color === undefined ? '' : ` fill="${color}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 100" width="240" height="100">${style}<path${fill} fill-rule="evenodd" transform="${place}" d="${pathOf(body)}"/></svg>`;
}

/** The style sheet inside of every silhouette that has no color of its own. */
export const STYLE = 'path{fill:#4b5563}@media(prefers-color-scheme:dark){path{fill:#cbd5e1}}';

const BODY_OF: Readonly<
  Record<Exclude<SippType, 'door_2_3' | 'door_2_4' | 'door_4_5' | 'special' | 'special_offer'>, Body>
> = {
  wagon: 'wagon',
  passenger_van: 'minibus',
  limousine_sedan: 'sedan',
  sport: 'coupe',
  convertible: 'convertible',
  suv: 'suv',
  open_air_all_terrain: 'suv',
  pickup_single_cab: 'pickup',
  pickup_double_cab: 'pickup',
  coupe: 'coupe',
  monospace: 'minivan',
  recreational_vehicle: 'motorhome',
  motor_home: 'motorhome',
  two_wheel: 'two_wheel',
  roadster: 'convertible',
  crossover: 'suv',
  commercial_van: 'van',
};

/**
 * The silhouette for a decoded SIPP code. A car whose type says nothing about its body is drawn as its category is usual; one
 * of an unknown category as any car.
 */
export function silhouetteOf(category: SippCategory | null, type: SippType | null): Silhouette {
  const name = category?.replace('_elite', '') ?? 'intermediate';
  const size = sizeOf(name);
  const known: Readonly<Record<string, Body>> = BODY_OF;
  if (type === 'passenger_van')
    return { body: /^(mini|economy|compact|seats_[67])/.test(name) ? 'minivan' : 'minibus', size };
  const ofCategory = name.startsWith('seats_') ? 'minibus' : size === 'small' ? 'hatchback' : 'sedan';
  const usual = category === null ? 'car' : ofCategory;
  return { body: (type === null ? undefined : known[type]) ?? usual, size };
}

function sizeOf(category: string): Size {
  if (['mini', 'economy', 'compact'].includes(category)) return 'small';
  return ['intermediate', 'standard', 'seats_6', 'seats_7', 'special'].includes(category) ? 'medium' : 'large';
}
