/** Builds a user object with the properties that are visible to others (Discord docs: User Object). */
export const userObject = ({ id, name }: { readonly id: string; readonly name: string }) => ({
  id,
  username: name,
  discriminator: '0',
  global_name: name,
  avatar: null,
  primary_guild: null,
  public_flags: 0,
  flags: 0,
});

/** Formats a time like Discord: with microseconds and a UTC offset (Discord docs: Reference, ISO8601 Date/Time). */
export const timestamp = (ms: number): string => new Date(ms).toISOString().replace('Z', '000+00:00');
