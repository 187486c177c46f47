/** Defenses of the built code by name, as `[text, text without the defense]`. */
export declare const DEFECTS: Readonly<Record<string, readonly (readonly [sound: string, broken: string])[]>>;
