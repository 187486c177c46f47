/** Injection token of the OpenAPI document as JSON text: the controller that serves it is itself described in it. */
export const API_DESCRIPTION = Symbol('ApiDescription');
