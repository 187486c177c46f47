/** Links to forms for what is shown; paths below /ops/commands. */
export function OtherCommands({ of: commands }: { of: readonly (readonly [text: string, path: string])[] }) {
  return (
    <>
      <h2>More</h2>
      <ul class="commands">
        {commands.map(([text, path]) => (
          <li key={path}>
            <a href={`/ops/commands/${path}`}>{text}…</a>
          </li>
        ))}
      </ul>
    </>
  );
}
