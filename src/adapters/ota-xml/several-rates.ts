import type { OtaOptions } from './options.js';
import { attribute, childrenNamed, items, type XmlNode } from './wire.js';

/**
 * A car with one rate and its total: of several of both, those of the currency of the first total. What states none has the supplier's, if its file
 * has one. Undefined if nothing says which belong together, because several are of that currency, or may be.
 */
export function withOneRate(core: XmlNode, { currency: usual }: Pick<OtaOptions, 'currency'>): XmlNode | undefined {
  const rates = distinct(childrenNamed(core, 'RentalRate'));
  const totals = distinct(childrenNamed(core, 'TotalCharge'));
  const [first, ...others] = totals;
  if (!first || others.length === 0 || rates.length < 2) return core;
  const currency = currencyIn(first, usual);
  const mayBeOfIt = (stated: string | undefined) => stated === undefined || stated === currency;
  const [rate, ...otherRates] = rates.filter((node) => currenciesOf(node, usual).some(mayBeOfIt));
  if (currency === undefined || others.some((total) => mayBeOfIt(currencyIn(total, usual)))) return undefined;
  if (!rate || otherRates.length > 0) return undefined;
  const left = new Set(['RentalRate', 'TotalCharge']);
  return { ...core, children: core.children.filter((node) => node === rate || node === first || !left.has(node.name)) };
}

/** The first of the nodes that are the same, by what they contain: comparing each with each would take long. */
function distinct(nodes: readonly XmlNode[]): readonly XmlNode[] {
  if (nodes.length < 2) return nodes;
  const seen = new Set<string>();
  return nodes.filter((node) => {
    const content = JSON.stringify(contentOf(node));
    const isNew = !seen.has(content);
    seen.add(content);
    return isNew;
  });
}

function contentOf({ name, attributes, text, children }: XmlNode): readonly unknown[] {
  const stated = Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
  return [name, stated, text, children.map(contentOf)];
}

function currencyIn(node: XmlNode | undefined, usual?: string): string | undefined {
  return (attribute(node, 'CurrencyCode') ?? usual)?.toUpperCase();
}

/** The currencies that the charges of a rate state; a charge without one is in that of the others. */
function currenciesOf(rate: XmlNode, usual: string | undefined): readonly (string | undefined)[] {
  const stated = items(rate, 'VehicleCharges', 'VehicleCharge').flatMap((charge) => currencyIn(charge) ?? []);
  return stated.length === 0 ? [usual?.toUpperCase()] : stated;
}
