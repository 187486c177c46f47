import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { CONFIG, type Config } from '../config/config.module.js';

/** Where readers of mails find this site: the setting `http.publicUrl`, else where it listens; never what a request's Host header says. */
@Injectable()
export class SiteAddress {
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The URL of a path of ours. */
  url(path: string): string {
    const bound = this.host.httpAdapter.getHttpServer().address() as AddressInfo | null;
    return siteUrl(this.config, bound?.port ?? this.config.http.port, path);
  }
}

/** As SiteAddress, for where there is no server: `port` is where the gateway listens when no public URL is set. */
export function siteUrl({ http: { publicUrl, host } }: Config, port: number, path: string): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return (publicUrl ?? `http://${name}:${port}`).replace(/\/+$/, '') + path;
}
