import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import type { EndedRequest, RequestRecorder } from '../http/request-recorder.js';
import { countLostCalls, countLostSupplierCalls, countRecords } from '../metrics/record-counts.js';
import { supplierTallies } from '../metrics/supplier-tallies.js';
import { Operations } from './operations.js';
import { requestMarks } from './request-marks.js';
import { type RequestRecord, recordOf } from './request-record.js';
import { SecondSample } from './second-sample.js';
import { SupplierUsageCounters, type SupplierUsageRow } from './supplier-usage-counters.js';
import { UsageCounters, type UsageRow } from './usage-counters.js';

/** Maximum rows kept in memory while the database is unavailable. */
const MOST_USAGE_ROWS = 50_000;
const MOST_RECORDS = 5_000;

/**
 * Counts every API call with its calls to suppliers, and samples request records, in memory and without waiting. RecordsWriter writes them to the
 * database.
 */
@Injectable()
export class Recorder implements RequestRecorder {
  readonly wantsSent: boolean;
  readonly #keepsRequests: boolean;
  readonly #markKey: KeyObject;
  readonly #counters = new UsageCounters(MOST_USAGE_ROWS, countLostCalls);
  readonly #suppliers = new SupplierUsageCounters(MOST_USAGE_ROWS, countLostSupplierCalls);
  readonly #sample: SecondSample;
  #records: RequestRecord[] = [];

  constructor(
    @Inject(CONFIG) config: Config,
    @Inject(KEYS) keys: Keys,
    private readonly operations: Operations,
  ) {
    this.#keepsRequests = config.records.perSecond > 0;
    this.wantsSent = this.#keepsRequests && config.environment === 'sandbox';
    this.#markKey = keys('request_marks');
    this.#sample = new SecondSample(config.records.perSecond);
  }

  ended(request: EndedRequest): void {
    const operation = this.operations.of(request.route, request.method);
    if (operation === undefined) return;
    if (!request.isExpired) this.#count(request, operation);
    if (this.#keepsRequests) this.#sample.offer(request);
  }

  #count(request: EndedRequest, operation: string): void {
    const { applicationId, status, at, durationMs } = request;
    this.#counters.count(applicationId, operation, status, at, durationMs);
    supplierTallies.answer(at, durationMs);
    this.#suppliers.count(request);
  }

  /** Ends the current second: its sampled requests are queued for writing. */
  turnSecond(): void {
    const { kept, left } = this.#sample.turn();
    if (left > 0) countRecords('sampled_out', left);
    if (kept.length > 0) this.#queue(kept.map((request) => this.#recordOf(request)));
  }

  /** Removes and returns up to `count` counter rows; empty = nothing to write. */
  takeUsage(count: number): readonly UsageRow[] {
    return this.#counters.take(count);
  }

  /** As takeUsage, of calls to suppliers. */
  takeSuppliers(count: number): readonly SupplierUsageRow[] {
    return this.#suppliers.take(count);
  }

  /** Removes and returns up to `count` requests, oldest first. */
  takeRecords(count: number): readonly RequestRecord[] {
    return this.#records.splice(0, count);
  }

  /** Queues requests again that couldn't be written. */
  giveBack(records: readonly RequestRecord[]): void {
    const later = this.#records;
    this.#records = [];
    this.#queue([...records, ...later]);
  }

  #recordOf(request: EndedRequest): RequestRecord {
    const operation = this.operations.of(request.route, request.method) ?? '';
    const { applicationId, sent } = request;
    const marks = sent && requestMarks(applicationId, sent, this.#markKey);
    return recordOf(request, operation, (word) => this.operations.isField(word), marks);
  }

  #queue(records: readonly RequestRecord[]): void {
    this.#records.push(...records);
    const tooMany = this.#records.length - MOST_RECORDS;
    if (tooMany <= 0) return;
    this.#records.splice(0, tooMany);
    countRecords('dropped', tooMany);
  }
}
