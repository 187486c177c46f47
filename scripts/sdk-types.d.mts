export const SDK_TYPES: string;
/** The text of SDK_TYPES for the newest released API description of the project in this folder. */
export function sdkTypes(root: string): Promise<string>;
