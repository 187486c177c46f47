import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { CONFIG, type Config } from '../config/config.module.js';

/** The address of this site for links in emails: `http.publicUrl`, or else the listening address; never a request's Host header. */
@Injectable()
export class SiteAddress {
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The URL of a path on this site. */
  url(path: string): string {
    const bound = this.host.httpAdapter.getHttpServer().address() as AddressInfo | null;
    return siteUrl(this.config, bound?.port ?? this.config.http.port, path);
  }
}

/** Like SiteAddress, without a running server. `port`: where the gateway listens, used without a public URL. */
export function siteUrl({ http: { publicUrl, host } }: Config, port: number, path: string): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return (publicUrl ?? `http://${name}:${port}`).replace(/(?<!\/)\/+$/, '') + path;
}
