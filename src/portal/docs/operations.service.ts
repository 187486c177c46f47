import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { ProductSeed } from '../../products/product-file.js';
import { ProductsService } from '../../products/products.service.js';
import { VersionRegistry } from '../../products/version-registry.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { openApiDocument } from '../../system/openapi.js';
import { type ApiOperation, apiOperations } from '../console/api-operations.js';
import { errorExamples } from './error-examples.js';
import { type ErrorReason, errorReasons } from './error-reasons.js';
import type { OperationFacts } from './operations-page.js';
import { postmanCollection } from './postman.js';
import { SchemaFields } from './schema-fields.js';

/** Facts about operations for the documentation: from the OpenAPI document, the limits and the current versions. */
@Injectable()
export class OperationsService {
  readonly #operations: readonly ApiOperation[];
  /** The reasons on the errors page; their examples need the sandbox, so production has none. */
  readonly errorReasons: readonly ErrorReason[];
  readonly schemas: SchemaFields;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly products: ProductsService,
    private readonly versions: VersionRegistry,
    private readonly suppliers: SupplierRegistry,
  ) {
    const document = openApiDocument(config);
    this.#operations = apiOperations(document);
    this.schemas = new SchemaFields(document);
    this.errorReasons = errorReasons(config.environment === 'sandbox' ? errorExamples(this.#operations) : []);
  }

  /** In the order of the OpenAPI document. */
  all(): readonly OperationFacts[] {
    return this.#operations.map((operation) => this.#factsOf(operation));
  }

  /** Undefined for an unknown operation id. */
  find(id: string): OperationFacts | undefined {
    const operation = this.#operations.find((one) => one.id === id);
    return operation && this.#factsOf(operation);
  }

  #factsOf(operation: ApiOperation): OperationFacts {
    return { operation, limits: this.#limitsOf(operation), versions: this.#versionsOf(operation) };
  }

  /** A brand whose reservations can be changed, for examples; empty if there is none. */
  get changeableBrand(): string {
    const changeable = this.suppliers.shown.find(
      ({ connection }) => (connection.adapter.booking?.changes ?? []).length > 0,
    );
    return changeable?.config.brands[0] ?? '';
  }

  /** A Postman collection for this gateway at `baseUrl`, with `changeableBrand` and dates that depend on the day. */
  postman(baseUrl: string): object {
    return postmanCollection(this.#operations, baseUrl, this.changeableBrand);
  }

  #limitsOf({ path }: ApiOperation): string {
    const { perMinute, burst } = this.config.throttling.tokenOperation;
    if (path.startsWith('/oauth/'))
      return `${perMinute} calls per minute with bursts of ${burst}, per client id and network address.`;
    if (!path.startsWith('/cars/')) return 'None.';
    const cost = this.products.costOf(this.#productOf(path)?.id);
    return `Counts ${cost === 1 ? 'once' : `${cost} times`} in the limits of token, application and account.`;
  }

  /** The public versions. Betas are shown only to selected applications. */
  #versionsOf({ path }: ApiOperation): readonly string[] {
    const product = this.#productOf(path);
    const facts = product && this.versions.product(product.id);
    return (facts?.versions ?? [])
      .filter(({ state }) => state === 'live' || state === 'deprecated')
      .map(({ label, state }) => `${label} (${state})`);
  }

  #productOf(path: string): ProductSeed | undefined {
    return this.products.seeds.find((product) => path.startsWith(`${product.path}/`));
  }
}
