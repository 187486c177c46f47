/** Whether the nginx floor can run on this machine, and the values for its configuration. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { spawnable } from '../processes.mjs';

const MODULES = ['/usr/lib/nginx/modules', '/usr/lib64/nginx/modules', '/usr/share/nginx/modules'];
const LUA_LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu/lua/5.1',
  '/usr/lib/aarch64-linux-gnu/lua/5.1',
  '/usr/lib/lua/5.1',
  '/usr/local/lib/lua/5.1',
];

const modules = MODULES.find((folder) => existsSync(`${folder}/ngx_http_lua_module.so`));
const libraries = [process.env.BENCH_LUA_LIBRARIES, ...LUA_LIBRARIES].find(
  (folder) => folder && existsSync(`${folder}/cjson.so`),
);

/** The reason why it can't run, or undefined. BENCH_LUA_LIBRARIES names an additional folder that contains cjson.so. */
export function whyNoNginx() {
  if (!spawnable('nginx'))
    return 'nginx is not installed (Debian: apt-get install nginx-light libnginx-mod-http-lua lua-cjson)';
  if (!modules) return 'the Lua module of nginx is not installed (Debian: apt-get install libnginx-mod-http-lua)';
  if (!libraries) return 'cjson for Lua 5.1 is not installed (Debian: apt-get install lua-cjson)';
  return undefined;
}

/**
 * Values for nginx.conf. Writes what its EVALSHA needs to the store: the token (by SHA-1, because plain nginx has no
 * SHA-256) and the script.
 */
export async function nginxNames(redis, ports, token, Redis) {
  const client = new Redis(redis.url);
  await client.set(`nginx:{demo}:token:${createHash('sha1').update(token).digest('hex')}`, 'app_demo');
  const sha = await client.script('LOAD', ADMIT);
  client.disconnect();
  const user = process.getuid?.() === 0 ? `user root;` : '';
  const ndk = existsSync(`${modules}/ndk_http_module.so`) ? `load_module ${modules}/ndk_http_module.so;` : '';
  return {
    MODULES: modules,
    NDK: ndk,
    LIBRARIES: libraries,
    USER: user,
    REDIS: redis.port,
    SHA: sha,
    ONE: ports.one,
    TWO: ports.two,
    THREE: ports.three,
    VERSION: version(),
  };
}

function version() {
  return execFileSync('sh', ['-c', 'nginx -v 2>&1']).toString().trim();
}

const ADMIT = `
local application = redis.call('GET', KEYS[1])
if not application then return false end
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local interval = 60000000 / ARGV[1]
local before = math.max(now, tonumber(redis.call('GET', KEYS[2]) or 0))
local after = before + interval
if after - ARGV[2] * interval > now then return {0, application, '0'} end
redis.call('SET', KEYS[2], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1)
return {1, application, string.format('%.0f', after - now)}
`;
