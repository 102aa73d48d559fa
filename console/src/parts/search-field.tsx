/** A field to find things in a list that is too long to look through. */
type SearchFieldProps = {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly onSearch: (text: string) => void
}

export const SearchField = ({ label, hint = label, value, onSearch }: SearchFieldProps) => (
  <input
    type="search"
    className="search"
    aria-label={label}
    placeholder={hint}
    value={value}
    onChange={(event) => onSearch(event.target.value)}
  />
)
