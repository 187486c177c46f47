/** On pages of operators while the gateway has no supplier: what to do next. */
export function NoSuppliers() {
  return (
    <p class="warning">
      This gateway has no supplier yet, so searches find nothing. Add a file for one to <code>config/suppliers/</code>,
      with this environment in its <code>environments</code>: <a href="/docs/adding-a-supplier">Adding a supplier</a>
    </p>
  );
}
