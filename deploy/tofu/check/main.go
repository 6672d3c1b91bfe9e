// Command schema-provider stands in for a cloud's provider where that cannot be had. It knows the schemas
// of the resources that the configurations use (schemas/*.json), and nothing else: 'validate' and 'test'
// with mock_provider ask no provider for more. It creates nothing and refuses every request to do so.
//
// The name of the program says which schemas it serves: terraform-provider-aws, terraform-provider-google.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

//go:embed schemas
var schemas embed.FS

type attribute struct {
	Type                         json.RawMessage
	Required, Optional, Computed bool
}

type blockType struct {
	NestingMode string `json:"nesting_mode"`
	Block       block
	MinItems    int64 `json:"min_items"`
	MaxItems    int64 `json:"max_items"`
}

type block struct {
	Attributes map[string]attribute
	BlockTypes map[string]blockType `json:"block_types"`
}

type schema struct {
	Version int64
	Block   block
}

type provider struct {
	Provider schema
	Resource map[string]schema `json:"resource_schemas"`
	Data     map[string]schema `json:"data_source_schemas"`
}

var nesting = map[string]tfprotov5.SchemaNestedBlockNestingMode{
	"single": tfprotov5.SchemaNestedBlockNestingModeSingle,
	"list":   tfprotov5.SchemaNestedBlockNestingModeList,
	"set":    tfprotov5.SchemaNestedBlockNestingModeSet,
	"map":    tfprotov5.SchemaNestedBlockNestingModeMap,
}

func (b block) convert() (*tfprotov5.SchemaBlock, error) {
	result := &tfprotov5.SchemaBlock{}
	for name, one := range b.Attributes {
		kind, err := tftypes.ParseJSONType(one.Type) //nolint:staticcheck // the only parser of this form
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		result.Attributes = append(result.Attributes, &tfprotov5.SchemaAttribute{
			Name: name, Type: kind, Required: one.Required, Optional: one.Optional, Computed: one.Computed,
		})
	}
	for name, one := range b.BlockTypes {
		inner, err := one.Block.convert()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		mode, known := nesting[one.NestingMode]
		if !known {
			return nil, fmt.Errorf("%s: unknown nesting '%s'", name, one.NestingMode)
		}
		result.BlockTypes = append(result.BlockTypes, &tfprotov5.SchemaNestedBlock{
			TypeName: name, Block: inner, Nesting: mode, MinItems: one.MinItems, MaxItems: one.MaxItems,
		})
	}
	return result, nil
}

func (s schema) convert() (*tfprotov5.Schema, error) {
	converted, err := s.Block.convert()
	return &tfprotov5.Schema{Version: s.Version, Block: converted}, err
}

func all(of map[string]schema) (map[string]*tfprotov5.Schema, error) {
	result := map[string]*tfprotov5.Schema{}
	for name, one := range of {
		converted, err := one.convert()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		result[name] = converted
	}
	return result, nil
}

// server answers what is asked about schemas. All other methods are those of a nil interface: a call of
// one of them is a mistake, and ends the program.
type server struct {
	tfprotov5.ProviderServer
	schema *tfprotov5.GetProviderSchemaResponse
}

func (s server) GetMetadata(context.Context, *tfprotov5.GetMetadataRequest) (*tfprotov5.GetMetadataResponse, error) {
	return nil, errors.New("not supported")
}

func (s server) GetProviderSchema(context.Context, *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	return s.schema, nil
}

func (s server) PrepareProviderConfig(_ context.Context, request *tfprotov5.PrepareProviderConfigRequest) (*tfprotov5.PrepareProviderConfigResponse, error) {
	return &tfprotov5.PrepareProviderConfigResponse{PreparedConfig: request.Config}, nil
}

func (s server) ValidateResourceTypeConfig(context.Context, *tfprotov5.ValidateResourceTypeConfigRequest) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	return &tfprotov5.ValidateResourceTypeConfigResponse{}, nil
}

func (s server) ValidateDataSourceConfig(context.Context, *tfprotov5.ValidateDataSourceConfigRequest) (*tfprotov5.ValidateDataSourceConfigResponse, error) {
	return &tfprotov5.ValidateDataSourceConfigResponse{}, nil
}

func (s server) StopProvider(context.Context, *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return &tfprotov5.StopProviderResponse{}, nil
}

func read(cloud string) (*tfprotov5.GetProviderSchemaResponse, error) {
	text, err := schemas.ReadFile("schemas/" + cloud + ".json")
	if err != nil {
		return nil, err
	}
	var known provider
	if err := json.Unmarshal(text, &known); err != nil {
		return nil, err
	}
	result := &tfprotov5.GetProviderSchemaResponse{}
	if result.Provider, err = known.Provider.convert(); err != nil {
		return nil, err
	}
	if result.ResourceSchemas, err = all(known.Resource); err != nil {
		return nil, err
	}
	result.DataSourceSchemas, err = all(known.Data)
	return result, err
}

func main() {
	cloud := strings.TrimPrefix(filepath.Base(os.Args[0]), "terraform-provider-")
	cloud, _, _ = strings.Cut(cloud, "_")
	known, err := read(cloud)
	if err != nil {
		log.Fatal(err)
	}
	err = tf5server.Serve("registry.terraform.io/hashicorp/"+cloud, func() tfprotov5.ProviderServer {
		return server{schema: known}
	})
	if err != nil {
		log.Fatal(err)
	}
}
