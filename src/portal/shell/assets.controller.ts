import { Get, Param } from '@nestjs/common';
import { Answer } from '../../http/answer.js';
import { findAsset } from './assets.js';
import { PageError } from './page-error.js';
import { Pages } from './pages.decorator.js';

/** Style sheets and scripts, including those of npm packages. */
@Pages('assets')
export class AssetsController {
  @Get(':digest/:name')
  find(@Param('digest') digest: string, @Param('name') name: string): Answer {
    const asset = findAsset(digest, name);
    if (!asset) throw new PageError(404);
    // Bytes, not a stream: its place among requests in progress ends now, not when the client has read it (decision 0036).
    return new Answer(200, asset.bytes, {
      'content-type': asset.contentType,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
  }
}
