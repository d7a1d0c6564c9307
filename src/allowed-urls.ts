/** Neither a password, which a log could show, nor what would be in the way of a path put behind it. */
export function isPlainUrl({ username, password, search, hash, href }: URL): boolean {
  return username === '' && password === '' && search === '' && hash === '' && !/[?#]/.test(href);
}

/** Keys are sent there: never in clear over a network. */
export function isHttpsOrLoopback(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

/** The bot's token is sent there: a mistyped variable must not give it to somebody else. */
export function isDiscordOrLoopback(url: URL): boolean {
  const discord = url.hostname === 'discord.com' || url.hostname.endsWith('.discord.com');
  return isHttpsOrLoopback(url) && (discord || isLoopback(url));
}

/** `URL` has already turned every way of writing an IPv4 address into four numbers. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
