/** Injection token of the OpenAPI document as JSON text; it also describes the controller that serves it. */
export const API_DESCRIPTION = Symbol('ApiDescription');
