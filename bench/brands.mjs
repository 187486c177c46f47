/** The brands of bench/suppliers.mjs, each of its own supplier; a search uses the first three unless more are configured. */
export const BRANDS = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'];
